// matmult.c: PETSc's matrix-vector product on the seven-point operator of a cube.
// matmult N REPETITIONS: N points along an edge.
#include <petscmat.h>
#include <stdlib.h>

static PetscErrorCode Fill(Mat matrix, PetscInt n) {
  for (PetscInt row = 0; row < n * n * n; ++row) {
    const PetscInt i = row % n, j = row / n % n, k = row / (n * n);
    PetscInt columns[7], count = 0;
    PetscScalar values[7];
    const PetscInt steps[] = {-n * n, -n, -1, 1, n, n * n};
    const int inside[] = {k > 0, j > 0, i > 0, i < n - 1, j < n - 1, k < n - 1};
    for (int side = 0; side < 6; ++side) {
      if (!inside[side]) continue;
      columns[count] = row + steps[side];
      values[count++] = -1;
    }
    columns[count] = row;
    values[count++] = 6;
    PetscCall(MatSetValues(matrix, 1, &row, count, columns, values, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const PetscInt n = atoi(argv[1]);
  const long repetitions = atol(argv[2]);
  Mat matrix;
  Vec x, y;
  PetscCall(PetscInitializeNoArguments());
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n * n * n, n * n * n, 7, NULL, &matrix));
  PetscCall(Fill(matrix, n));
  PetscCall(MatCreateVecs(matrix, &x, &y));
  PetscCall(VecSet(x, 1));
  for (long r = 0; r < repetitions; ++r) PetscCall(MatMult(matrix, x, y));
  PetscCall(PetscFinalize());
  return 0;
}
