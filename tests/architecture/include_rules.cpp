// The rules as two tables, own folders and third-party libraries, and the reading of #include lines.
#include "include_rules.h"

#include <algorithm>
#include <optional>

namespace abut::architecture {
namespace {

struct FolderRule {
  std::string folder;
  std::vector<std::string> may_include;
};

const std::vector<FolderRule>& folder_rules() {
  static const std::vector<FolderRule> kRules = {
      {"core", {"core"}},
      {"broadphase", {"core", "broadphase"}},
      {"narrowphase", {"core", "narrowphase"}},
      {"world", {"core", "broadphase", "narrowphase", "world"}},
      {"planning", {"core", "broadphase", "narrowphase", "world", "io", "planning"}},
      {"io", {"core", "broadphase", "narrowphase", "world", "io"}},
      {"fitting", {"core", "fitting"}},
      {"apps", {"core", "broadphase", "narrowphase", "world", "planning", "io", "fitting", "apps"}},
  };
  return kRules;
}

/// A folder inside a module that has dependencies of its own: the others of the module do not know it.
const std::vector<std::string>& inner_modules() {
  static const std::vector<std::string> kFolders = {"planning/ompl/"};
  return kFolders;
}

struct LibraryRule {
  std::string prefix;                    ///< Of the included name.
  std::vector<std::string> may_include;  ///< Beginnings of paths.
};

const std::vector<LibraryRule>& library_rules() {
  static const std::vector<LibraryRule> kRules = {
      {"libqhull", {"core/shapes/hull_topology.cpp"}},
      {"qhull", {"core/shapes/hull_topology.cpp"}},
      {"tbb/", {"core/trees/", "core/shapes/triangle_mesh.cpp", "broadphase/", "world/", "io/", "planning/", "apps/"}},
      {"oneapi/",
       {"core/trees/", "core/shapes/triangle_mesh.cpp", "broadphase/", "world/", "io/", "planning/", "apps/"}},
      {"assimp/", {"io/", "apps/"}},
      {"nlohmann/", {"io/", "apps/"}},
      {"urdf_", {"planning/urdf_file.cpp"}},
      {"console_bridge/", {"planning/urdf_file.cpp"}},
      {"tinyxml", {"planning/detail/xml.cpp"}},
      {"ompl/", {"planning/ompl/"}},
      {"cminpack", {"fitting/detail/least_squares.cpp"}},
      {"CLI/", {"apps/"}},
  };
  return kRules;
}

struct Include {
  std::string_view name;
  bool quoted = false;
};

std::string_view without_leading_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// The name in `#include <name>` or `#include "name"`; nothing for any other line.
std::optional<Include> parse_include(std::string_view line) {
  line = without_leading_blanks(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = without_leading_blanks(line.substr(1));
  constexpr std::string_view kKeyword = "include";
  if (!line.starts_with(kKeyword)) return std::nullopt;
  line = without_leading_blanks(line.substr(kKeyword.size()));
  if (line.empty() || (line.front() != '<' && line.front() != '"')) return std::nullopt;
  const bool quoted = line.front() == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{line.substr(1, end - 1), quoted};
}

std::string first_folder(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What is wrong with one include; empty where nothing is.
std::string judge(const std::filesystem::path& source_dir, std::string_view path, const Include& include) {
  const std::string name(include.name);
  if (include.quoted) return "own headers are spelled <abut/...>, not \"" + name + "\"";
  if (contains(module_folders(), first_folder(name))) return "own headers are spelled <abut/...>, not <" + name + ">";
  if (name.find("..") != std::string::npos) return "<" + name + "> leaves its folder";

  constexpr std::string_view kOwn = "abut/";
  if (name.starts_with(kOwn)) {
    const std::string header = name.substr(kOwn.size());
    if (!std::filesystem::is_regular_file(source_dir / header)) return "<" + name + "> does not exist";
    const std::string folder = first_folder(path);
    for (const FolderRule& rule : folder_rules()) {
      if (rule.folder == folder && !contains(rule.may_include, first_folder(header)))
        return folder + " may not include " + first_folder(header) + " (<" + name + ">)";
    }
    for (const std::string& inner : inner_modules()) {
      if (header.starts_with(inner) && !path.starts_with(inner)) return "<" + name + "> may not be included here";
    }
    return {};
  }

  for (const LibraryRule& rule : library_rules()) {
    if (!name.starts_with(rule.prefix)) continue;
    const auto allows = [&](const std::string& beginning) { return path.starts_with(beginning); };
    if (std::none_of(rule.may_include.begin(), rule.may_include.end(), allows))
      return "<" + name + "> may not be included here";
  }
  return {};
}

}  // namespace

std::vector<std::string> include_violations(const std::filesystem::path& source_dir, std::string_view path,
                                            std::string_view text) {
  std::vector<std::string> violations;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const std::optional<Include> include = parse_include(text.substr(0, end))) {
      const std::string wrong = judge(source_dir, path, *include);
      if (!wrong.empty()) violations.push_back(std::string(path) + ":" + std::to_string(number) + ": " + wrong);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return violations;
}

const std::vector<std::string>& module_folders() {
  static const std::vector<std::string> kFolders = [] {
    std::vector<std::string> names;
    for (const FolderRule& rule : folder_rules()) names.push_back(rule.folder);
    return names;
  }();
  return kFolders;
}

}  // namespace abut::architecture
