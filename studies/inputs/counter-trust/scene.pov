#version 3.7;
global_settings { assumed_gamma 1 }
camera { location <0, 3, -7> look_at 0 }
light_source { <5, 9, -9> rgb 1 }
plane { y, -1 pigment { checker rgb 0.2, rgb 0.9 } finish { reflection 0.2 } }
#declare R = seed(7);
#for (I, 1, 12) sphere { <4 * rand(R) - 2, 2 * rand(R) - 1, 4 * rand(R) - 2>, 0.4 pigment { rgb <rand(R), rand(R), rand(R)> } finish { phong 0.8 } } #end
