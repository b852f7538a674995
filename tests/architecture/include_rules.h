// The rules that the #include lines of the library keep: the direction between the folders, the one spelling of own
// headers, and the places where a third-party library may appear.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace abut::architecture {

/// Checks every #include line of one file.
/// @param source_dir  Root of the source tree: an included own header must exist there.
/// @param path        The file, relative to the root with '/' between folders: "broadphase/sweep_and_prune.cpp". Its
///                    first folder names the module.
/// @param text        Its content. Lines inside a comment are not told apart from code.
/// @return One sentence for each line that breaks a rule, "path:line: what is wrong"; empty where all is well.
std::vector<std::string> include_violations(const std::filesystem::path& source_dir, std::string_view path,
                                            std::string_view text);

/// The folders that the rules are about, those that depend on nothing first.
const std::vector<std::string>& module_folders();

}  // namespace abut::architecture
