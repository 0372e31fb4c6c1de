const INTENT = 'mainstay-intent-'
/** Tags servers created for an intent, so that they can be found if our server dies. Never shown to users. */
export const intentTag = (intent: string) => `${INTENT}${intent}`
export const isIntentTag = (tag: string) => tag.startsWith(INTENT)
