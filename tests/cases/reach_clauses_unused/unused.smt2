; a clause is used only if its body can be derived
(declare-fun p (Bool) Bool)
(declare-fun q (Bool) Bool)
(declare-fun r () Bool)
(assert (p true))
(assert (forall ((x Bool)) (=> (and (p x) (not x)) (q x))))
(assert (forall ((x Bool)) (=> (and (p x) r) (q x))))
(assert (forall ((x Bool)) (=> (and (p x) (or x r)) (q (not x)))))
(assert (forall ((x Bool)) (=> (and (q x) x) false)))
