// The JavaScript that a browser loads for the first screens, with size limits.

const list = [/\/InstanceListPage\.tsx$/]

/** @type {readonly import('./bundle.mjs').Group[]} */
export const firstScreens = [
  {
    name: 'sign-in',
    entry: 'index.html',
    limitBytes: 95_000,
    pages: [/\/FirstSignIn\.tsx$/],
  },
  { name: 'first list', entry: 'index.html', limitBytes: 169_000, pages: [/\/portal-app\.ts$/, ...list] },
  {
    name: 'first list of the admin panel',
    entry: 'admin.html',
    limitBytes: 190_300,
    pages: [/\/admin-app\.ts$/, ...list],
  },
]
