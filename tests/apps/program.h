// Runs the abut program as a shell would.
#pragma once

#include <abut/io/json.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../io/temp_folder.h"

namespace abut::test {

struct Outcome {
  int status = -1;  // exit status; -1 when a signal ended the program
  std::string out;
  std::string err;

  /// Standard output as JSON Lines.
  [[nodiscard]] std::vector<Json> lines() const {
    std::vector<Json> result;
    std::istringstream stream(out);
    for (std::string line; std::getline(stream, line);) result.push_back(json::parse(line));
    return result;
  }
};

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

inline std::string with_replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size()) {
    text.replace(at, word.size(), by);
  }
  return text;
}

/// `arguments` as a shell reads them; `{}` stands for the folder.
inline Outcome run_program(const TempFolder& folder, std::string arguments, const std::string& input = "") {
  arguments = with_replaced(std::move(arguments), "{}", folder.path().string());
  const auto in = folder.write("standard-input", input);
  const auto out = folder.path() / "standard-output";
  const auto err = folder.path() / "standard-error";
  const std::string command = std::string("'") + ABUT_PROGRAM + "' " + arguments + " <'" + in.string() + "' >'" +
                              out.string() + "' 2>'" + err.string() + "'";
  const int result = std::system(command.c_str());
  return {WIFEXITED(result) ? WEXITSTATUS(result) : -1, content_of(out), content_of(err)};
}

/// A command with pipes and redirections of its own; `{abut}` stands for the program, `{}` for the folder.
inline Outcome run_shell(const TempFolder& folder, std::string command) {
  command = with_replaced(std::move(command), "{abut}", std::string("'") + ABUT_PROGRAM + "'");
  command = with_replaced(std::move(command), "{}", folder.path().string());
  const auto out = folder.path() / "standard-output";
  const auto err = folder.path() / "standard-error";
  const int result = std::system(("{ " + command + "; } >'" + out.string() + "' 2>'" + err.string() + "'").c_str());
  return {WIFEXITED(result) ? WEXITSTATUS(result) : -1, content_of(out), content_of(err)};
}

/// Of arguments that are wrong: nothing else is written.
inline Outcome wrong_usage(const TempFolder& folder, const std::string& arguments) {
  const Outcome outcome = run_program(folder, arguments);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("abut: error: ", 0), 0u) << outcome.err;
  return outcome;
}

}  // namespace abut::test
