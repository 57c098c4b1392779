(set-logic HORN)
; a counter of two bits that starts at 0 and counts up
(declare-fun at (Bool Bool) Bool)
(assert (at false true))
(assert
  (forall ((h Bool) (l Bool) (h2 Bool) (l2 Bool))
    (=> (and (at h l)
             (= l2 (and l (not l)))
             (= h2 (xor h l)))
        (at h2 l2))))
(assert
  (forall ((h Bool) (l Bool))
    (=> (and (at h l) h l)
        false)))
(check-sat)
