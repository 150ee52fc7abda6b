! mpi_fortran.f90: the same ring with the module mpi and with mpi_f08 (-DF08).
program mpi_fortran
#ifdef F08
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: half
#else
  use mpi
  implicit none
  integer :: requests(2), half
#endif
  integer :: error, rank, ranks, i
  double precision :: out(16), in(16)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  out = rank
  do i = 1, 5
    call MPI_Irecv(in, 16, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 3, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(out, 10, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 3, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  end do
  if (rank == 0) then
    call MPI_Send(out, 2, MPI_DOUBLE_PRECISION, 1, 9, MPI_COMM_WORLD, error)
  else if (rank == 1) then
    call MPI_Recv(in, 16, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end if
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), 0, half, error)
  call MPI_Allreduce(out, in, 4, MPI_DOUBLE_PRECISION, MPI_SUM, half, error)
  call MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_DOUBLE_PRECISION, MPI_SUM, half, error)
  call MPI_Comm_free(half, error)
  if (rank == 0) print *, 'done'
  call MPI_Finalize(error)
end program
