// pugixml.cc: reads a document several times, walks it and asks it by XPath.
#include <pugixml.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

long Walk(const pugi::xml_node& node) {
  long sum = node.attribute("id").as_int() + node.child_value()[0];
  for (const pugi::xml_node& child : node.children()) sum += Walk(child);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int times = argc > 2 ? std::atoi(argv[2]) : 1;
  const pugi::xpath_query query("//word[string-length(.) > 6]");
  long sum = 0;
  for (int i = 0; i < times; ++i) {
    pugi::xml_document document;
    if (!document.load_file(argv[1])) return 1;
    sum += Walk(document);
    for (const pugi::xpath_node& found : document.select_nodes(query))
      sum += found.node().attribute("id").as_int();
  }
  std::printf("%ld\n", sum);
}
