// abut query: JSON Lines in, JSON Lines out, in the same order, answered in parallel chunk by chunk.
#include <abut/apps/commands.h>
#include <abut/apps/line_reader.h>
#include <abut/apps/output.h>
#include <abut/io/query.h>
#include <tbb/parallel_for.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace abut {
namespace {

// Enough lines to keep the threads busy, few enough to answer a slow pipe soon.
constexpr std::size_t kChunkLines = 256;

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

int query_command(const QueryArguments& arguments) {
  LineReader reader(arguments.file);
  Output output(arguments.output, {reader.file()});
  QueryAnswerer answerer(std::filesystem::path(arguments.file).parent_path());
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
