#include <iostream>

#include <gumption/data/dataset.h>

int main(int, char** argv) {
  const auto dataset = gumption::read_dataset(argv[1]);
  std::cout << dataset.questions.size() << " questions\n";
  return dataset.questions.empty() ? 1 : 0;
}
