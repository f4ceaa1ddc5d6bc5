// Addresses of servers hold keys and passwords: they are shown without these.

/** A password may hold any character; a path with a key in it may hold `@`. */
const DATABASES = /\b(postgres(?:ql)?:\/\/)(?:[^\s"']*@)?([^\s"'/?#@]*)([^\s"'),;]*)/gi;
const NODES = /\b((?:https?|wss?):\/\/)(?:[^\s"'/@]*@)?([^\s"'/?#@]*)([^\s"'),;]*)/gi;

/** `text` with every address in it cut down to scheme, host and port. */
export const withoutKeys = (text: string): string =>
  [DATABASES, NODES].reduce(
    (shown, addresses) =>
      shown.replaceAll(addresses, (...[, scheme, host, rest]: string[]) =>
        rest === "" || rest === "/" ? `${scheme}${host}${rest}` : `${scheme}${host}/…`,
      ),
    text,
  );
