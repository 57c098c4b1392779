; a token goes round; both macros stand for what is written in the clause
(declare-fun at (Bool Bool) Bool)
(declare-fun step (Bool Bool Bool Bool) Bool)
(define-fun one ((a Bool) (b Bool)) Bool
  (or (and a (not b)) (and (not a) b)))
(define-fun moved ((a Bool) (b Bool)) Bool
  (and (at a b) (or a b)))
(assert (at true false))
(assert (forall ((a Bool) (b Bool)) (step a b b true)))
(assert (forall ((a Bool) (b Bool) (c Bool) (d Bool))
  (=> (and (moved a b)
           (step a b c d))
      (at c d))))
(assert (forall ((a Bool) (b Bool))
  (=> (and (at a b)
           (not (one a b)))
      false)))
