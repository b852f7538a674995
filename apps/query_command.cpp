// abut query: JSON Lines in, JSON Lines out, in the same order, answered in parallel chunk by chunk.
#include <abut/apps/commands.h>
#include <abut/apps/line_reader.h>
#include <abut/apps/output.h>
#include <abut/io/query.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace abut {
namespace {

// Enough lines to keep the threads busy, few enough to answer a slow pipe soon.
constexpr std::size_t kChunkLines = 256;

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

// Whether a query may name what a file holds as its mesh: not so where there is nothing in it, or what an earlier run
// has written. Pipes and devices are no mesh files.
bool may_be_mesh(const std::filesystem::path& file) {
  constexpr std::string_view kResult = "{\"id\":";
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::string start(kResult.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return stream.gcount() > 0 && start != kResult;
}

// What opening the output must not empty. A query comes when the output is long open, so where that could be a mesh,
// all queries are read first; else they are answered as they come.
Inputs inputs_of(LineReader& reader, const std::filesystem::path& folder, const std::filesystem::path& output) {
  Inputs inputs = {reader.file()};
  if (!may_be_mesh(output)) return inputs;
  std::set<std::string> names;
  std::string_view rest = reader.read_ahead();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    names.merge(named_files(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const std::string& name : names) inputs.push_back(folder / name);
  return inputs;
}

}  // namespace

int query_command(const QueryArguments& arguments) {
  LineReader reader(arguments.file);
  const std::filesystem::path folder = std::filesystem::path(arguments.file).parent_path();
  const std::filesystem::path output_file = arguments.output.empty() ? kStandardOutput : arguments.output;
  Output output(arguments.output, inputs_of(reader, folder, output_file));
  QueryAnswerer answerer(folder, output_file);
  bool has_error = false;
  with_threads(arguments.threads, [&] {
    std::vector<std::string> lines;
    std::vector<QueryAnswer> answers;
    for (std::size_t first_line = 1; reader.read(lines, kChunkLines); first_line += lines.size()) {
      answers.assign(lines.size(), QueryAnswer{});
      tbb::parallel_for(std::size_t{0}, lines.size(), [&](std::size_t i) {
        if (!is_blank(lines[i])) answers[i] = answerer.answer(lines[i], first_line + i);
      });
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (is_blank(lines[i])) continue;
        output.write_line(answers[i].line);
        has_error = has_error || answers[i].is_error;
      }
      output.flush();
    }
  });
  return has_error ? kFailure : kSuccess;
}

}  // namespace abut
