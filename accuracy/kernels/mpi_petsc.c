/* mpi_petsc.c: PETSc on the seven-point operator of a cube, divided among the ranks.
 *
 * usage: mpi_petsc matmult N REPETITIONS   matrix-vector products
 *        mpi_petsc cg N STEPS              steps of a conjugate-gradient solve, Jacobi
 * preconditioner N is the number of points along an edge. */
#include <petscksp.h>
#include <stdlib.h>
#include <string.h>

static PetscErrorCode Fill(Mat matrix, PetscInt n) {
  PetscInt first = 0;
  PetscInt end = 0;
  PetscCall(MatGetOwnershipRange(matrix, &first, &end));
  for (PetscInt row = first; row < end; ++row) {
    const PetscInt i = row % n;
    const PetscInt j = row / n % n;
    const PetscInt k = row / (n * n);
    const PetscInt steps[] = {-n * n, -n, -1, 1, n, n * n};
    const int inside[] = {k > 0, j > 0, i > 0, i < n - 1, j < n - 1, k < n - 1};
    PetscInt columns[7];
    PetscScalar values[7];
    PetscInt count = 0;
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

static PetscErrorCode Solve(Mat matrix, Vec right, Vec solution, PetscInt steps) {
  KSP solver;
  PC jacobi;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, matrix, matrix));
  PetscCall(KSPSetType(solver, KSPCG));
  PetscCall(KSPGetPC(solver, &jacobi));
  PetscCall(PCSetType(jacobi, PCJACOBI));
  /* A tolerance that is never reached: the number of steps is fixed. */
  PetscCall(KSPSetTolerances(solver, 1e-300, 1e-300, PETSC_DEFAULT, steps));
  PetscCall(KSPSolve(solver, right, solution));
  PetscCall(KSPDestroy(&solver));
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const PetscInt n = atoi(argv[2]);
  const PetscInt repetitions = atoi(argv[3]);
  Mat matrix;
  Vec x;
  Vec y;
  PetscCall(PetscInitializeNoArguments());
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n * n * n, n * n * n, 7,
                         NULL, 3, NULL, &matrix));
  PetscCall(Fill(matrix, n));
  PetscCall(MatCreateVecs(matrix, &x, &y));
  PetscCall(VecSet(x, 1));
  if (strcmp(argv[1], "cg") == 0) {
    PetscCall(Solve(matrix, x, y, repetitions));
  } else {
    for (PetscInt r = 0; r < repetitions; ++r) PetscCall(MatMult(matrix, x, y));
  }
  PetscCall(PetscFinalize());
  return 0;
}
