/** Reads the project to enter at startup (S1§2) from `?project_id=`, either in the URL or in its sign-in return URL. */
export function askedForProject(search: string): string | null {
  const query = new URLSearchParams(search)
  const back = query.get('redirectUrl')
  const asked =
    query.get('project_id') ?? (back && URL.parse(back, 'http://console.invalid')?.searchParams.get('project_id'))
  return asked || null
}
