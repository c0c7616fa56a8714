// The picture that tests/lang/programs/ray_tracer.n must make, from the same scene on standard input: the same
// arithmetic in the same order, written separately, without its classes and threads. It made ray_tracer.out, and
// tests/programs/check.py compares the two again.
//
// Must be compiled without contraction of a*b+c (-ffp-contract=off), which rounds once where the program rounds twice.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr double kFar = 1e9;
constexpr double kNear = 1e-6;

struct V {
  double x = 0, y = 0, z = 0;
};
V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
V operator*(V a, V b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
V operator*(V a, double k) { return {a.x * k, a.y * k, a.z * k}; }
double dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
V unit(V a) {
  double length = std::sqrt(dot(a, a));
  return {a.x / length, a.y / length, a.z / length};
}
V mirror(V direction, V normal) { return direction - normal * (2 * dot(direction, normal)); }

std::istream& operator>>(std::istream& in, V& v) { return in >> v.x >> v.y >> v.z; }

struct Material {
  V colour;
  double diffuse, highlight, reflected, index;
};

enum class Kind { kPlane, kSphere, kBox };

// Plane: a.y is its height; sphere: a is the centre; box: a and b are opposite corners.
struct Shape {
  Kind kind;
  V a, b;
  double radius = 0;
  Material materials[2];
};

struct Light {
  V position, colour;
};

struct Scene {
  int width = 0, height = 0, samples = 0, depth = 0;
  double ambient = 0;
  V zenith, horizon, eye, forward, right, up;
  std::vector<Light> lights;
  std::vector<Shape> shapes;
};

double sphereDistance(const Shape& s, V origin, V direction) {
  V to = s.a - origin;
  double along = dot(to, direction);
  double square = along * along - (dot(to, to) - s.radius * s.radius);
  if (square < 0) return kFar;
  double half = std::sqrt(square);
  if (along - half > kNear) return along - half;
  if (along + half > kNear) return along + half;
  return kFar;
}

double planeDistance(const Shape& s, V origin, V direction) {
  if (direction.y == 0) return kFar;
  double t = (s.a.y - origin.y) / direction.y;
  return t > kNear && t < kFar ? t : kFar;
}

double boxDistance(const Shape& s, V origin, V direction) {
  double enter = -kFar, leave = kFar;
  const double low[] = {s.a.x, s.a.y, s.a.z}, high[] = {s.b.x, s.b.y, s.b.z};
  const double from[] = {origin.x, origin.y, origin.z}, step[] = {direction.x, direction.y, direction.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (step[axis] == 0) {
      if (from[axis] < low[axis] || from[axis] > high[axis]) enter = kFar;
      continue;
    }
    double first = (low[axis] - from[axis]) / step[axis], second = (high[axis] - from[axis]) / step[axis];
    enter = std::max(enter, std::min(first, second));
    leave = std::min(leave, std::max(first, second));
  }
  if (enter > leave) return kFar;
  if (enter > kNear) return enter;
  return leave > kNear ? leave : kFar;
}

double distanceTo(const Shape& s, V origin, V direction) {
  switch (s.kind) {
  case Kind::kPlane: return planeDistance(s, origin, direction);
  case Kind::kSphere: return sphereDistance(s, origin, direction);
  case Kind::kBox: return boxDistance(s, origin, direction);
  }
  return kFar;
}

V normalAt(const Shape& s, V at) {
  if (s.kind == Kind::kPlane) return {0, 1, 0};
  if (s.kind == Kind::kSphere) return (at - s.a) * (1 / s.radius);
  const double gaps[] = {at.x - s.a.x, at.x - s.b.x, at.y - s.a.y, at.y - s.b.y, at.z - s.a.z, at.z - s.b.z};
  const V normals[] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  int best = 0;
  for (int i = 1; i < 6; ++i)
    if (std::fabs(gaps[i]) < std::fabs(gaps[best])) best = i;
  return normals[best];
}

const Material& materialAt(const Shape& s, V at) {
  if (s.kind != Kind::kPlane) return s.materials[0];
  long square = static_cast<long>(std::floor(at.x)) + static_cast<long>(std::floor(at.z));
  return s.materials[square % 2 == 0 ? 0 : 1];
}

V skyTowards(const Scene& scene, V direction) {
  double height = std::max(direction.y, 0.0);
  return scene.horizon * (1 - height) + scene.zenith * height;
}

V trace(const Scene& scene, V origin, V direction, int left);

V lightAt(const Scene& scene, V direction, V at, V normal, const Material& m) {
  V colour = m.colour * scene.ambient;
  for (const Light& light : scene.lights) {
    V offset = light.position - at;
    double distance = std::sqrt(dot(offset, offset));
    V towards = offset * (1 / distance);
    double facing = dot(normal, towards);
    bool lit = facing > 0;
    for (const Shape& s : scene.shapes) lit = lit && distanceTo(s, at, towards) >= distance;
    if (!lit) continue;
    colour = colour + m.colour * light.colour * (m.diffuse * facing);
    double shine = dot(mirror(direction, normal), towards);
    if (shine <= 0) continue;
    for (int i = 0; i < 5; ++i) shine *= shine;
    colour = colour + light.colour * (m.highlight * shine);
  }
  return colour;
}

V glassAt(const Scene& scene, V direction, V at, V outwards, const Material& m, int left) {
  if (left == 0) return skyTowards(scene, direction);
  bool entering = dot(direction, outwards) < 0;
  V normal = entering ? outwards : outwards * -1;
  double ratio = entering ? 1 / m.index : m.index;
  double cosine = -dot(direction, normal);
  double square = 1 - ratio * ratio * (1 - cosine * cosine);
  V mirrored = trace(scene, at, mirror(direction, normal), left - 1);
  if (square < 0) return mirrored;
  double bentCosine = std::sqrt(square);
  V bent = unit(direction * ratio + normal * (ratio * cosine - bentCosine));
  V passed = trace(scene, at, bent, left - 1) * m.colour;
  double least = (1 - m.index) / (1 + m.index);
  double base = 1 - (entering ? cosine : bentCosine);
  double part = least * least + (1 - least * least) * (base * base * base * base * base);
  return mirrored * part + passed * (1 - part);
}

V trace(const Scene& scene, V origin, V direction, int left) {
  const Shape* shape = nullptr;
  double distance = kFar;
  for (const Shape& s : scene.shapes) {
    double found = distanceTo(s, origin, direction);
    if (found < distance) distance = found, shape = &s;
  }
  if (shape == nullptr) return skyTowards(scene, direction);
  V at = origin + direction * distance;
  V normal = normalAt(*shape, at);
  const Material& m = materialAt(*shape, at);
  if (m.index > 0) return glassAt(scene, direction, at, normal, m, left);
  V colour = lightAt(scene, direction, at, normal, m);
  if (m.reflected == 0 || left == 0) return colour;
  V mirrored = trace(scene, at, mirror(direction, normal), left - 1);
  return colour * (1 - m.reflected) + mirrored * m.colour * m.reflected;
}

Scene readScene(std::istream& in) {
  Scene scene;
  std::map<std::string, Material> materials;
  std::string line, what, first, second;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    words >> what;
    V a, b;
    double number = 0;
    if (what == "picture") {
      words >> scene.width >> scene.height >> scene.samples >> scene.depth;
    } else if (what == "camera") {
      words >> a >> b >> number;
      scene.eye = a;
      scene.forward = unit(b - a);
      scene.right = unit(cross({0, 1, 0}, scene.forward));
      scene.up = cross(scene.forward, scene.right) * number;
      scene.right = scene.right * number;
    } else if (what == "sky") {
      words >> scene.zenith >> scene.horizon;
    } else if (what == "ambient") {
      words >> scene.ambient;
    } else if (what == "light") {
      words >> a >> b;
      scene.lights.push_back({a, b});
    } else if (what == "material") {
      Material m;
      words >> first >> m.colour >> m.diffuse >> m.highlight >> m.reflected >> m.index;
      materials[first] = m;
    } else if (what == "plane") {
      words >> a.y >> first >> second;
      scene.shapes.push_back({Kind::kPlane, a, b, 0, {materials[first], materials[second]}});
    } else if (what == "sphere") {
      words >> a >> number >> first;
      scene.shapes.push_back({Kind::kSphere, a, b, number, {materials[first], {}}});
    } else if (what == "box") {
      words >> a >> b >> first;
      scene.shapes.push_back({Kind::kBox, a, b, 0, {materials[first], {}}});
    }
  }
  return scene;
}

int byteOf(double light) { return static_cast<int>(std::sqrt(std::clamp(light, 0.0, 1.0)) * 255 + 0.5); }

} // namespace

int main() {
  Scene scene = readScene(std::cin);
  std::printf("P3\n%d %d\n255\n", scene.width, scene.height);
  for (int row = 0; row < scene.height; ++row) {
    for (int column = 0; column < scene.width; ++column) {
      V sum;
      for (int sample = 0; sample < scene.samples * scene.samples; ++sample) {
        int u = sample % scene.samples, v = sample / scene.samples;
        double x = (column + (u + 0.5) / scene.samples) / scene.width * 2 - 1;
        double y = (scene.height - 2 * (row + (v + 0.5) / scene.samples)) / scene.width;
        V direction = unit(scene.forward + scene.right * x + scene.up * y);
        sum = sum + trace(scene, scene.eye, direction, scene.depth);
      }
      V light = sum * (1.0 / (scene.samples * scene.samples));
      std::printf("%d %d %d\n", byteOf(light.x), byteOf(light.y), byteOf(light.z));
    }
  }
  return 0;
}
