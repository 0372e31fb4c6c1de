/** Reads the project to enter at startup (S1§2) from `?project_id=`, also inside the return URL of sign-in. */
export function askedForProject(search: string): string | null {
  const query = new URLSearchParams(search)
  const back = query.get('redirectUrl')
  const asked =
    query.get('project_id') ?? (back && URL.parse(back, 'http://console.invalid')?.searchParams.get('project_id'))
  return asked || null
}
