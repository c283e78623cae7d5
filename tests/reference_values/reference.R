# Reference values made in R. Usage: Rscript reference.R cases.json r_values.json
# Every number is written as a string with 17 significant digits, so nothing is lost
# on the way to reference.py.
suppressPackageStartupMessages(library(pROC))
library(jsonlite)
args <- commandArgs(trailingOnly = TRUE)
cases <- fromJSON(args[1], simplifyVector = TRUE, simplifyDataFrame = FALSE,
                  simplifyMatrix = FALSE)
s <- function(x) unbox(sprintf("%.17g", as.numeric(x)))
quietly <- function(expr) {                     # the value, and the warnings as text
  w <- character()
  v <- withCallingHandlers(expr, warning = function(e) {
    w <<- c(w, conditionMessage(e)); invokeRestart("muffleWarning") })
  list(value = v, warnings = unique(w))
}
out <- list()

# (1) AUC: pROC
out$auc <- lapply(cases$auc, function(k) {
  q <- quietly({
    r <- roc(controls = k$negative, cases = k$positive, direction = "<", quiet = TRUE)
    v <- var(r, method = "delong")
    ci <- ci.auc(r, conf.level = 0.95, method = "delong")
    list(auc_proc = s(auc(r)), delong_variance = s(v),
         delong_ci95_lower = s(ci[1]), delong_ci95_upper = s(ci[3]))
  })
  c(q$value, list(proc_warnings = q$warnings))
})

# (2) paired AUCs: pROC
out$paired <- lapply(cases$paired, function(k) {
  q <- quietly({
    rocs <- lapply(k$scores, function(x)
      roc(response = k$label, predictor = x, levels = c(0, 1), direction = "<",
          quiet = TRUE))
    pairs <- list(c("A", "B"), c("A", "C"), c("B", "C"))
    cmp <- lapply(pairs, function(p) {
      r1 <- rocs[[p[1]]]; r2 <- rocs[[p[2]]]
      t <- roc.test(r1, r2, paired = TRUE, method = "delong")
      list(covariance = s(cov(r1, r2, method = "delong")),
           z = s(t$statistic), p_value = s(t$p.value))
    })
    names(cmp) <- sapply(pairs, paste, collapse = "-")
    list(auc = lapply(rocs, function(r) s(auc(r))),
         variance = lapply(rocs, function(r) s(var(r, method = "delong"))),
         pairs = cmp)
  })
  c(q$value, list(proc_warnings = q$warnings))
})

# (3) clustered AUC: Obuchowski 1997, written out element by element (see README)
psi <- function(x, y) if (x > y) 1 else if (x == y) 0.5 else 0
obuchowski <- function(group, label, score) {
  ids <- unique(group)
  X <- lapply(ids, function(g) score[group == g & label == 1])
  Y <- lapply(ids, function(g) score[group == g & label == 0])
  m <- lengths(X); n <- lengths(Y)
  M <- sum(m); N <- sum(n)
  I <- length(ids); I10 <- sum(m > 0); I01 <- sum(n > 0)
  allX <- unlist(X); allY <- unlist(Y)
  theta <- 0
  for (x in allX) for (y in allY) theta <- theta + psi(x, y)
  theta <- theta / (M * N)
  v10 <- v01 <- numeric(I)
  for (i in seq_len(I)) {
    for (x in X[[i]]) for (y in allY) v10[i] <- v10[i] + psi(x, y) / N
    for (y in Y[[i]]) for (x in allX) v01[i] <- v01[i] + psi(x, y) / M
  }
  d10 <- v10 - m * theta
  d01 <- v01 - n * theta
  S10 <- I10 / ((I10 - 1) * M) * sum(d10^2)
  S01 <- I01 / ((I01 - 1) * N) * sum(d01^2)
  S11 <- I / (I - 1) * sum(d10 * d01)
  list(auc = theta, I = I, I10 = I10, I01 = I01, M = M, N = N,
       S10 = S10, S01 = S01, S11 = S11,
       variance = S10 / M + S01 / N + 2 * S11 / (M * N))
}
out$clustered <- lapply(cases$clustered, function(k) {
  o <- obuchowski(k$group, k$label, k$score)
  r <- roc(response = k$label, predictor = k$score, levels = c(0, 1), direction = "<",
           quiet = TRUE)
  # own check: every item its own group must give DeLong's variance
  one <- obuchowski(seq_along(k$label), k$label, k$score)$variance
  stopifnot(abs(one / var(r, method = "delong") - 1) < 1e-12)
  c(lapply(o, s), list(auc_proc = s(auc(r)),
                       delong_variance_ignoring_groups = s(var(r, method = "delong"))))
})

# (4) Spearman: R's rho (as a check of scipy's) and the Bonett-Wright interval
out$spearman <- lapply(cases$spearman, function(k) {
  r <- cor(k$x, k$y, method = "spearman")
  n <- length(k$x)
  h <- qnorm(0.975) * sqrt((1 + r^2 / 2) / (n - 3))
  list(rho_r = s(r), bonett_wright_ci95_lower = s(tanh(atanh(r) - h)),
       bonett_wright_ci95_upper = s(tanh(atanh(r) + h)))
})

# (5) Clopper-Pearson
out$clopper_pearson <- lapply(cases$clopper_pearson, function(k) {
  a <- binom.test(k$x, k$n, conf.level = 0.95)$conf.int
  b <- binom.test(k$x, k$n, conf.level = 0.90)$conf.int
  list(ci95_lower = s(a[1]), ci95_upper = s(a[2]),
       ci90_lower = s(b[1]), ci90_upper = s(b[2]))
})

# (6) quantiles
out$quantiles <- list(
  t = lapply(cases$quantiles$t, function(k) list(value = s(qt(k$p, k$df)))),
  beta = lapply(cases$quantiles$beta, function(k) list(value = s(qbeta(k$p, k$a, k$b)))))

# (8) Newcombe 2006 method 5 on the Hanley-McNeil variance
hm_var <- function(th, m, n) {
  N <- (m + n) / 2
  th * (1 - th) * (1 + (N - 1) * ((1 - th) / (2 - th) + th / (1 + th))) / (m * n)
}
out$hanley_mcneil <- lapply(cases$hanley_mcneil, function(k) {
  z <- qnorm(0.975)
  f <- function(th) abs(th - k$auc) - z * sqrt(hm_var(th, k$m, k$n))
  # f is negative near AUC; the lower root lies left of it, the upper one right of it.
  # At AUC = 1 theta = 1 solves the equation itself: the upper limit is 1, and the lower
  # search stops just short of 1.
  solve_in <- function(a, b) uniroot(f, c(a, b), tol = .Machine$double.eps,
                                     maxiter = 10000)$root
  lower <- solve_in(0, if (k$auc == 1) 1 - 1e-9 else k$auc)
  upper <- if (k$auc == 1) 1 else solve_in(k$auc, 1)
  grid <- seq(1e-6, 1 - 1e-6, length.out = 200001)          # the roots are the only ones
  changes <- sum(diff(sign(f(grid))) != 0)
  stopifnot(changes == if (k$auc == 1) 1 else 2)
  list(ci95_lower = s(lower), ci95_upper = s(upper),
       variance_at_auc = s(hm_var(k$auc, k$m, k$n)))
})

out$versions <- list(R = unbox(paste(R.version$major, R.version$minor, sep = ".")),
                     pROC = unbox(as.character(packageVersion("pROC"))),
                     jsonlite = unbox(as.character(packageVersion("jsonlite"))))
writeLines(toJSON(out, pretty = TRUE), args[2])
