// A program of a user of abut: two bodies that overlap by 0.1 m, one step, their contact.
#include <abut/world/scene.h>

#include <cmath>
#include <cstdio>

int main() {
  abut::Scene scene;
  const abut::BodyId table = scene.add({.shape = abut::Box{{0.6, 0.4, 0.02}}, .motion = abut::Motion::fixed});
  const abut::BodyId ball = scene.add({.shape = abut::Sphere{0.5}});
  scene.set_pose(ball, abut::Pose({0.0, 0.0, 0.42}));
  scene.step();
  for (const abut::Contact& contact : scene.contacts())
    std::printf("distance %.3f normal %.3f %.3f %.3f\n", contact.distance, contact.normal.x(), contact.normal.y(),
                contact.normal.z());
  const bool as_expected = scene.contacts().size() == 1 && scene.began().size() == 1 &&
                           scene.contacts()[0].body_a == table && scene.contacts()[0].body_b == ball &&
                           std::abs(scene.contacts()[0].distance + 0.1) < 1e-6 &&
                           scene.contacts()[0].normal.z() > 0.999;
  if (!as_expected) std::fputs("not the one contact that was expected\n", stderr);
  return as_expected ? 0 : 1;
}
