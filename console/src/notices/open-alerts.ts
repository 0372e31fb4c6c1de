/**
 * Query for `GET /api/v2/alerts` for alerts that need attention. Kept separate from the alert messages, because the
 * menu uses only this query.
 */
export const openAlerts = { state: 'raised', enabled: 'true', suspended: 'false' } as const
