/** `?project_id=` selects the project at start (S1§2), also in the address that sign-in leads back to. */
export function askedForProject(search: string): string | null {
  const query = new URLSearchParams(search)
  const back = query.get('redirectUrl')
  const asked =
    query.get('project_id') ?? (back && URL.parse(back, 'http://console.invalid')?.searchParams.get('project_id'))
  return asked || null
}
