/**
 * Query of `GET /api/v2/alerts` for alerts that need attention. Kept separate from the alert texts, because the menu
 * uses nothing but this query.
 */
export const openAlerts = { state: 'raised', enabled: 'true', suspended: 'false' } as const
