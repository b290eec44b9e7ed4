// Where stored matches are found: the page of one, and the addresses of what was kept of it.

const enc = encodeURIComponent;

export const matchPage = (id, hash = "") => `/matches/${enc(id)}${hash}`;
export const fileOf = (id, name) => `/api/matches/${enc(id)}/${name}`;
export const strokeFile = (id, n, name) => fileOf(id, `strokes/${n}/${name}`);
