/**
 * Query of `GET /api/v2/alerts` for alerts that need attention. Kept apart from the alert texts because the menu needs
 * only this.
 */
export const openAlerts = { state: 'raised', enabled: 'true', suspended: 'false' } as const
