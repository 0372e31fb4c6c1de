const INTENT = 'mainstay-intent-'
/** Marks what a command makes, so that it is found when its server died. People are not shown it. */
export const intentTag = (intent: string) => `${INTENT}${intent}`
export const isIntentTag = (tag: string) => tag.startsWith(INTENT)
