// The JavaScript that a browser loads for the first screens, with size limits.

const list = [/\/InstanceListPage\.tsx$/, /locales\/en\/(shell|instances|patterns)\.json$/]

/** @type {readonly import('./bundle.mjs').Group[]} */
export const firstScreens = [
  {
    name: 'sign-in',
    entry: 'index.html',
    limitBytes: 95_000,
    pages: [/\/FirstSignIn\.tsx$/, /locales\/en\/shell\.json$/],
  },
  { name: 'first list', entry: 'index.html', limitBytes: 175_000, pages: [/\/portal-app\.ts$/, ...list] },
  {
    name: 'first list of the admin panel',
    entry: 'admin.html',
    limitBytes: 197_000,
    pages: [/\/admin-app\.ts$/, ...list],
  },
]
