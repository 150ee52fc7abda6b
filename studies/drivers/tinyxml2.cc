// tinyxml2.cc: reads a document several times, walks it, changes it and prints it.
#include <tinyxml2.h>

#include <cstdio>
#include <cstdlib>

namespace {

// Attributes and text of all elements below.
long Walk(const tinyxml2::XMLElement* element) {
  long sum = 0;
  for (; element != nullptr; element = element->NextSiblingElement()) {
    sum += element->IntAttribute("id");
    if (const char* text = element->GetText()) sum += text[0];
    sum += Walk(element->FirstChildElement());
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int times = argc > 2 ? std::atoi(argv[2]) : 1;
  long sum = 0;
  for (int i = 0; i < times; ++i) {
    tinyxml2::XMLDocument document;
    if (document.LoadFile(argv[1]) != tinyxml2::XML_SUCCESS) return 1;
    sum += Walk(document.RootElement());
    document.RootElement()->SetAttribute("turn", i);
    tinyxml2::XMLPrinter printer;
    document.Print(&printer);
    sum += printer.CStrSize();
  }
  std::printf("%ld\n", sum);
}
