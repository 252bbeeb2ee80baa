def is_decided(e,r,n): return False
