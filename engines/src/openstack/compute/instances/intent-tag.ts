const INTENT = 'mainstay-intent-'
/** Marks servers created for an intent, so that they are found if our server dies. Never shown to users. */
export const intentTag = (intent: string) => `${INTENT}${intent}`
export const isIntentTag = (tag: string) => tag.startsWith(INTENT)
