/* hash.c: a memory-bound program: a hash table and a treap far larger than the caches. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSlots = 1 << 22, kNodes = 100000 };

static uint64_t state = 1;

static uint64_t Next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static uint64_t keys[kSlots];
static uint32_t hits[kSlots];

static uint32_t Slot(uint64_t key) {
  uint32_t slot = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 42);
  while (keys[slot] != 0 && keys[slot] != key) slot = (slot + 1) % kSlots;
  return slot;
}

struct node {
  uint64_t key;
  uint64_t priority;
  struct node* child[2];
};

static struct node* Insert(struct node* root, struct node* fresh) {
  if (root == NULL) return fresh;
  const int side = fresh->key > root->key;
  root->child[side] = Insert(root->child[side], fresh);
  struct node* up = root->child[side];
  if (up->priority <= root->priority) return root;
  root->child[side] = up->child[!side];
  up->child[!side] = root;
  return up;
}

static unsigned Depth(const struct node* root, uint64_t key) {
  unsigned depth = 0;
  for (; root != NULL && root->key != key; ++depth) root = root->child[key > root->key];
  return depth;
}

int main(int argc, char** argv) {
  const int operations = argc > 1 ? atoi(argv[1]) : 6000000;
  for (int i = 0; i < operations; ++i) {
    const uint64_t key = 1 + Next() % (kSlots / 2);
    const uint32_t slot = Slot(key);
    keys[slot] = key;
    ++hits[slot];
  }
  struct node* nodes = calloc(kNodes, sizeof *nodes);
  if (nodes == NULL) return 1;
  struct node* root = NULL;
  for (int i = 0; i < kNodes; ++i) {
    nodes[i].key = Next();
    nodes[i].priority = Next();
    root = Insert(root, &nodes[i]);
  }
  uint64_t sum = 0;
  for (int i = 0; i < operations / 8; ++i) sum += Depth(root, nodes[Next() % kNodes].key);
  for (int i = 0; i < kSlots; ++i) sum += hits[i];
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
