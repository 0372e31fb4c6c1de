/** Filters of `GET /api/v2/alerts` for those that need somebody now. It is apart from their words: the menu counts them. */
export const openAlerts = { state: 'raised', enabled: 'true', suspended: 'false' } as const
