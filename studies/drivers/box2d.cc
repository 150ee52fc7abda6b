// box2d.cc: a pyramid of boxes falls down.
#include <box2d/box2d.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 5;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  b2World world(b2Vec2(0.0f, -10.0f));
  b2BodyDef ground_place;
  b2Body* ground = world.CreateBody(&ground_place);
  b2EdgeShape edge;
  edge.SetTwoSided(b2Vec2(-40.0f, 0.0f), b2Vec2(40.0f, 0.0f));
  ground->CreateFixture(&edge, 0.0f);
  b2PolygonShape box;
  box.SetAsBox(0.5f, 0.5f);
  b2Body* last = nullptr;
  for (int row = 0; row < rows; ++row) {
    for (int column = row; column < rows; ++column) {
      b2BodyDef place;
      place.type = b2_dynamicBody;
      place.position.Set(1.2f * static_cast<float>(column) - 0.6f * static_cast<float>(row),
                         0.75f + 1.1f * static_cast<float>(row));
      last = world.CreateBody(&place);
      last->CreateFixture(&box, 5.0f);
    }
  }
  for (int i = 0; i < steps; ++i) world.Step(1.0f / 60.0f, 8, 3);
  std::printf("%.3f %.3f\n", static_cast<double>(last->GetPosition().x),
              static_cast<double>(last->GetPosition().y));
}
