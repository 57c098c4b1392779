; nonlinear: two even numbers have an even sum
(declare-fun even (Bool Bool) Bool)
(assert (even false false))
(assert (even true false))
(assert (forall ((a Bool) (b Bool) (c Bool) (d Bool) (s Bool) (t Bool))
  (=> (and (even a b) (even c d) (= t (xor b d)) (= s (xor a c (and b d)))) (even s t))))
(assert (forall ((a Bool) (b Bool)) (=> (even a b) (not b))))
(check-sat)
