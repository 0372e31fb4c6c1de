// What a person loads until the first screens show, and how much it may be.

/** @type {readonly import('./bundle.mjs').Group[]} */
export const firstScreens = [
  { name: 'sign-in', limitBytes: 95_000, pages: [/\/FirstSignIn\.tsx$/, /locales\/en\/shell\.json$/] },
  {
    name: 'first list',
    limitBytes: 175_000,
    pages: [/\/App\.tsx$/, /\/InstanceListPage\.tsx$/, /locales\/en\/(shell|instances|patterns)\.json$/],
  },
]
