// leveldb.cc: a table of sorted keys in memory, written once, read by key and from end to end.
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "helpers/memenv/memenv.h"

namespace {

std::string Key(unsigned number) {
  char text[16];
  std::snprintf(text, sizeof text, "key%08u", number);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned keys = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1000;
  const std::unique_ptr<leveldb::Env> memory(leveldb::NewMemEnv(leveldb::Env::Default()));
  leveldb::Options options;
  options.env = memory.get();
  options.compression = leveldb::kNoCompression;
  leveldb::WritableFile* to = nullptr;
  if (!memory->NewWritableFile("table", &to).ok()) return 1;
  leveldb::TableBuilder builder(options, to);
  for (unsigned i = 0; i < keys; ++i) builder.Add(Key(i), "value " + Key(i * 7919));
  if (!builder.Finish().ok() || !to->Close().ok()) return 1;
  leveldb::RandomAccessFile* from = nullptr;
  if (!memory->NewRandomAccessFile("table", &from).ok()) return 1;
  leveldb::Table* table = nullptr;
  if (!leveldb::Table::Open(options, from, builder.FileSize(), &table).ok()) return 1;
  const std::unique_ptr<leveldb::Iterator> place(table->NewIterator(leveldb::ReadOptions()));
  unsigned long sum = 0;
  for (unsigned i = 0; i < keys; ++i) {
    place->Seek(Key(i * 7919u % keys));
    sum += static_cast<unsigned char>(place->value().data()[place->value().size() - 1]);
  }
  for (place->SeekToFirst(); place->Valid(); place->Next()) sum += place->key().size();
  std::printf("%lu\n", sum);
}
