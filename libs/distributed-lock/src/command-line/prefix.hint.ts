/** For a command that has found nothing: the usual cause. */
export const prefixHint = 'If you expect one, give the namePrefix of the application as --prefix.';
