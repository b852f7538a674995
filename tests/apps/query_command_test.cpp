// abut query from outside: lines in, lines out.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"

namespace abut {
namespace {

using test::content_of;
using test::Outcome;
using test::run_program;
using test::run_shell;
using test::TempFolder;

std::string sphere_query(const std::string& id, double x) {
  return R"({"id": ")" + id + R"(", "query": "distance", "a": {"shape": {"type": "sphere", "radius": 1}},)" +
         R"( "b": {"shape": {"type": "box", "half_extents": [1, 1, 1]}, "pose": {"translation": [)" +
         std::to_string(x) + ", 0, 0]}}}\n";
}

// Random pairs of shapes, some of them broken.
std::string random_queries(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-2.0, 2.0);
  const char* shapes[] = {
      R"({"type": "sphere", "radius": 0.5})",
      R"({"type": "cone", "radius": 0.5, "half_length": 1})",
      R"({"type": "convex", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]})",
      R"({"type": "ellipsoid", "radii": [0.3, 0.6, 1.2], "margin": 0.1})",
      R"({"type": "compound", "children": [{"shape": {"type": "box", "half_extents": [1, 0.1, 0.1]}},
          {"shape": {"type": "sphere", "radius": 0.3}, "pose": {"translation": [1, 0, 0]}}]})",
      R"({"type": "box", "half_extents": [1, -1, 1]})",
  };
  std::string text;
  const auto body = [&] {
    std::string shape = shapes[random() % std::size(shapes)];
    std::erase(shape, '\n');
    std::string pose = R"("pose": {"translation": [)";
    for (int i = 0; i < 3; ++i) pose += (i == 0 ? "" : ", ") + std::to_string(place(random));
    pose += R"(], "rotation": [)";
    for (int i = 0; i < 4; ++i) pose += (i == 0 ? "" : ", ") + std::to_string(place(random) + 2.5);
    return R"({"shape": )" + shape + ", " + pose + "]}}";
  };
  for (int i = 0; i < count; ++i) {
    text +=
        R"({"id": ")" + std::to_string(i) + R"(", "query": "distance", "a": )" + body() + R"(, "b": )" + body() + "}\n";
  }
  return text;
}

TEST(QueryCommand, AnswersInOrderAndSkipsBlankLines) {
  const TempFolder folder;
  const Outcome outcome =
      run_program(folder, "query",
                  sphere_query("first", 3.0) + "\n  \t\r\n" + sphere_query("second", 2.0) + sphere_query("third", 9.0));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  const auto lines = outcome.lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["id"], "first");
  EXPECT_NEAR(lines[0]["distance"].get<double>(), 1.0, 1e-9);
  EXPECT_EQ(lines[1]["id"], "second");
  EXPECT_NEAR(lines[1]["distance"].get<double>(), 0.0, 1e-9);
  EXPECT_NEAR(lines[2]["distance"].get<double>(), 7.0, 1e-9);
}

TEST(QueryCommand, ABadLineIsAnsweredByAnErrorAndTheOthersAllTheSame) {
  const TempFolder folder;
  std::string last = sphere_query("last", 3.0);
  last.pop_back();  // no line end
  const Outcome outcome = run_program(folder, "query",
                                      sphere_query("a", 3.0) + "oops\n{\"id\": \"b\"}\n" + std::string(100'000, '[') +
                                          "\n" + std::string(1, '\0') + "\n" + last);
  EXPECT_EQ(outcome.status, 1);
  const auto lines = outcome.lines();
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0]["status"], "converged");
  EXPECT_TRUE(lines[1]["id"].is_null());
  EXPECT_EQ(lines[2]["id"], "b");
  EXPECT_EQ(lines[2]["error"], "query: is required");
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(lines[i]["status"], "error");
  EXPECT_EQ(lines[5]["id"], "last");
  EXPECT_EQ(lines[5]["status"], "converged");
}

TEST(QueryCommand, ALineWithAByteOfZeroIsNotJson) {
  const TempFolder folder;
  std::string first = sphere_query("a", 3.0);
  first.insert(first.size() - 1, std::string(1, '\0') + " more {{{");
  const Outcome outcome = run_program(folder, "query", first + sphere_query("b", 3.0));
  EXPECT_EQ(outcome.status, 1);
  const auto lines = outcome.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0]["id"].is_null());
  EXPECT_NE(lines[0]["error"].get<std::string>().find("the byte 0 (NUL)"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[1]["status"], "converged");
}

TEST(QueryCommand, AnErrorWithoutAnIdNamesTheLineOfTheFile) {
  const TempFolder folder;
  // More than are answered at once, and blank ones, which count.
  std::string queries;
  for (int i = 1; i <= 600; ++i) queries += i % 2 == 0 ? "\n" : sphere_query(std::to_string(i), 3.0);
  folder.write("queries.jsonl", queries + "oops\n\n{\"query\": \"distance\"}\n[]\n{\"id\": \"known\"}\n");
  const Outcome outcome = run_program(folder, "query '{}/queries.jsonl'");
  EXPECT_EQ(outcome.status, 1);
  const auto lines = outcome.lines();
  ASSERT_EQ(lines.size(), 304u);
  const auto error = [&lines](std::size_t i) { return lines[i]["error"].get<std::string>(); };
  EXPECT_EQ(error(300).rfind("line 601: is not JSON: parse error at line 601, column 1: ", 0), 0u) << error(300);
  EXPECT_EQ(error(301), "line 603: id: is required");
  EXPECT_EQ(error(302), "line 604: query line: must be an object, got an array of 0");
  EXPECT_EQ(error(303), "query: is required");
}

TEST(QueryCommand, EmptyInputIsNoError) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "query", "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
}

TEST(QueryCommand, TheOutputDoesNotDependOnTheThreads) {
  const TempFolder folder;
  const std::string queries = random_queries(/*count=*/1500, /*seed=*/11);
  const Outcome one = run_program(folder, "query --threads 1", queries);
  ASSERT_EQ(one.lines().size(), 1500u);
  EXPECT_EQ(one.status, 1);  // some shapes are broken
  std::size_t errors = 0;
  for (const Json& line : one.lines()) errors += line["status"] == "error" ? 1 : 0;
  EXPECT_GT(errors, 300u);
  EXPECT_LT(errors, 600u);
  for (const char* threads : {"2", "7"}) {
    EXPECT_EQ(run_program(folder, std::string("query --threads ") + threads, queries).out, one.out) << threads;
  }
}

TEST(QueryCommand, ReadsAFileAndWritesAnother) {
  const TempFolder folder;
  folder.write("meshes/point.obj", "v -1 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
  folder.write("queries.jsonl",
               R"({"id": "f", "query": "distance", "a": {"shape": {"type": "sphere", "radius": 1}}, "b": {"shape": )"
               R"({"type": "convex", "file": "meshes/point.obj"}, "pose": {"translation": [3, 0, 0]}}})");
  const Outcome outcome = run_program(folder, "query '{}/queries.jsonl' -o '{}/results.jsonl'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const Json result = json::parse(content_of(folder.path() / "results.jsonl"));
  EXPECT_NEAR(result["distance"].get<double>(), 1.0, 1e-6) << result;
}

TEST(QueryCommand, FilesThatCannotBeUsedAreNamed) {
  const TempFolder folder;
  const auto queries = folder.write("queries.jsonl", sphere_query("a", 3.0));
  const Outcome missing = run_program(folder, "query '{}/none.jsonl'");
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err.rfind("abut: error: " + (folder.path() / "none.jsonl").string() + ": ", 0), 0u) << missing.err;
  EXPECT_EQ(run_program(folder, "query '{}'").status, 1);
  EXPECT_EQ(run_program(folder, "query '{}/queries.jsonl' -o '{}/no/such/folder'").status, 1);
  const Outcome same = run_program(folder, "query '{}/queries.jsonl' -o '{}/queries.jsonl'");
  EXPECT_EQ(same.status, 1);
  EXPECT_EQ(content_of(queries), sphere_query("a", 3.0));
}

TEST(QueryCommand, AFileIsNotReadAndWrittenThroughStandardInputOrOutput) {
  const TempFolder folder;
  const auto queries = folder.write("queries.jsonl", sphere_query("a", 3.0));
  const std::string error = "is read from; cannot write to it\n";
  for (const char* command : {"{abut} query -o '{}/queries.jsonl' <'{}/queries.jsonl'",
                              "{abut} query - -o '{}/./queries.jsonl' <'{}/queries.jsonl'"}) {
    SCOPED_TRACE(command);
    const Outcome outcome = run_shell(folder, command);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("queries.jsonl: " + error), std::string::npos) << outcome.err;
    EXPECT_EQ(content_of(queries), sphere_query("a", 3.0));
  }
  for (const char* command :
       {"{abut} query '{}/queries.jsonl' >>'{}/queries.jsonl'", "{abut} query <'{}/queries.jsonl' >>'{}/queries.jsonl'",
        "{abut} query /dev/stdin <'{}/queries.jsonl' >>'{}/queries.jsonl'"}) {
    SCOPED_TRACE(command);
    const Outcome outcome = run_shell(folder, command);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "abut: error: standard output: " + error);
    EXPECT_EQ(content_of(queries), sphere_query("a", 3.0));
  }
  EXPECT_EQ(run_shell(folder, "{abut} query </dev/null >/dev/null").status, 0);
}

constexpr const char* kMesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n";

std::string mesh_query(const std::string& id, const std::string& file) {
  return R"({"id": ")" + id + R"(", "query": "distance", "a": {"shape": {"type": "compound", "children": [)" +
         R"({"shape": {"type": "mesh", "file": ")" + file +
         R"("}}]}}, "b": {"shape": {"type": "sphere", "radius": 1},)" + R"( "pose": {"translation": [0, 0, 5]}}})" +
         "\n";
}

TEST(QueryCommand, AMeshThatAQueryNamesIsNotOverwritten) {
  const TempFolder folder;
  const auto mesh = folder.write("mesh.obj", kMesh);
  std::filesystem::create_symlink("mesh.obj", folder.path() / "soft");
  std::filesystem::create_hard_link(mesh, folder.path() / "hard");
  std::string queries;
  for (int i = 0; i < 1000; ++i)
    queries += sphere_query(std::to_string(i), 3.0);  // the mesh comes long after the start
  folder.write("relative.jsonl", queries + mesh_query("mesh", "mesh.obj"));
  folder.write("absolute.jsonl", queries + mesh_query("mesh", mesh.string()));
  for (const char* command :
       {"{abut} query '{}/relative.jsonl' -o '{}/mesh.obj'", "{abut} query '{}/relative.jsonl' -o '{}/soft'",
        "{abut} query '{}/relative.jsonl' -o '{}/hard'", "{abut} query '{}/relative.jsonl' >>'{}/mesh.obj'",
        "cat '{}/absolute.jsonl' | {abut} query -o '{}/mesh.obj'",
        "{abut} query - -o '{}/hard' <'{}/absolute.jsonl'"}) {
    SCOPED_TRACE(command);
    const Outcome outcome = run_shell(folder, command);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(": is read from; cannot write to it\n"), std::string::npos) << outcome.err;
    EXPECT_EQ(content_of(mesh), kMesh);
  }
  EXPECT_EQ(run_program(folder, "query '{}/relative.jsonl' -o '{}/results.jsonl'").status, 0);
}

TEST(QueryCommand, AQueryThatNamesTheOutputAsItsMeshIsAnErrorAndTheOthersAreAnswered) {
  const TempFolder folder;
  folder.write("queries.jsonl", sphere_query("first", 3.0) + mesh_query("mesh", "new.obj") + sphere_query("last", 3.0));
  const auto results = folder.path() / "new.obj";
  for (int run = 0; run < 2; ++run) {  // the second finds the results of the first
    const Outcome outcome = run_program(folder, "query '{}/queries.jsonl' -o '{}/new.obj'");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "");
    std::istringstream stream(content_of(results));
    std::vector<Json> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0]["status"], "converged");
    EXPECT_EQ(lines[1]["error"],
              "a.shape.children[0].shape.file: " + results.string() + ": is written to; cannot read from it");
    EXPECT_EQ(lines[2]["status"], "converged");
  }
}

TEST(QueryCommand, AnOutputWithOtherContentIsReplacedWhereNoQueryNamesIt) {
  const TempFolder folder;
  folder.write("mesh.obj", kMesh);
  folder.write("queries.jsonl", sphere_query("a", 3.0) + "oops\n" + mesh_query("b", "mesh.obj"));
  const Outcome fresh = run_program(folder, "query '{}/queries.jsonl'");
  EXPECT_EQ(fresh.lines().size(), 3u);
  for (const char* content : {"notes", kMesh, "{", "\n", "{\"id\":\"of an earlier run\"}\n"}) {
    const auto results = folder.write("results.obj", content);
    EXPECT_EQ(run_program(folder, "query '{}/queries.jsonl' -o '{}/results.obj'").status, 1);
    EXPECT_EQ(content_of(results), fresh.out) << content;
  }
}

TEST(QueryCommand, AFolderIsRefusedBeforeTheOutputIsEmptied) {
  const TempFolder folder;
  const auto kept = folder.write("kept", "kept");
  const Outcome named = run_program(folder, "query '{}' -o '{}/kept'");
  EXPECT_EQ(named.status, 1);
  EXPECT_EQ(named.err, "abut: error: " + folder.path().string() + ": is a folder, not a file\n");
  const Outcome standard = run_shell(folder, "{abut} query -o '{}/kept' <'{}'");
  EXPECT_EQ(standard.status, 1);
  EXPECT_EQ(standard.err, "abut: error: standard input: is a folder, not a file\n");
  EXPECT_EQ(content_of(kept), "kept");
}

// A child process with both ends of its pipes.
class Conversation {
 public:
  Conversation() {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    EXPECT_EQ(::pipe(in.data()), 0);
    EXPECT_EQ(::pipe(out.data()), 0);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (const int end : {in[0], in[1], out[0], out[1]}) ::close(end);
      ::execl(ABUT_PROGRAM, "abut", "query", static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    write_end_ = in[1];
    read_end_ = out[0];
  }

  void say(const std::string& text) {
    ASSERT_EQ(::write(write_end_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  // The next line, or "" when none comes within ten seconds.
  std::string hear() {
    std::string line;
    pollfd waiting{read_end_, POLLIN, 0};
    while (::poll(&waiting, 1, /*milliseconds=*/10'000) == 1) {
      char c = 0;
      if (::read(read_end_, &c, 1) != 1) break;
      if (c == '\n') return line;
      line += c;
    }
    return "";
  }

  int finish() {
    ::close(write_end_);
    int result = 0;
    ::waitpid(child_, &result, 0);
    ::close(read_end_);
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
  }

 private:
  pid_t child_ = -1;
  int write_end_ = -1;
  int read_end_ = -1;
};

TEST(QueryCommand, AnswersEachLineOfAPipeBeforeTheNextComes) {
  Conversation conversation;
  for (const char* id : {"one", "two", "three"}) {
    const std::string query = sphere_query(id, 3.0);
    conversation.say(query.substr(0, 20));  // a line may come in pieces
    conversation.say(query.substr(20));
    const std::string line = conversation.hear();
    ASSERT_FALSE(line.empty()) << id;
    EXPECT_EQ(json::parse(line)["id"], id);
  }
  EXPECT_EQ(conversation.finish(), 0);
}

}  // namespace
}  // namespace abut
