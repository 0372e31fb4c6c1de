/** Variables that set fields of the entry itself. All others set fields in its `auth` section. */
const entryNames: Record<string, string> = {
  OS_AUTH_TYPE: 'auth_type',
  OS_REGION_NAME: 'region_name',
  OS_INTERFACE: 'interface',
  OS_ENDPOINT_TYPE: 'endpoint_type',
  OS_CACERT: 'cacert',
  OS_CERT: 'cert',
  OS_INSECURE: 'insecure',
  OS_IDENTITY_API_VERSION: 'identity_api_version',
}
/** Old names for variables. */
const oldNames: Record<string, string> = {
  OS_TENANT_NAME: 'OS_PROJECT_NAME',
  OS_TENANT_ID: 'OS_PROJECT_ID',
  OS_USER_NAME: 'OS_USERNAME',
}
/** Returns the variable that sets this field of the entry. */
export const variableOf = (where: string[]): string =>
  Object.entries(entryNames).find(([, name]) => name === where[0])?.[0] ?? `OS_${where.at(-1)?.toUpperCase() ?? ''}`

/** Converts environment variables to an entry like those in `clouds.yaml`. */
export function entryOf(variables: Readonly<Record<string, string>>): Record<string, unknown> {
  const entry: Record<string, unknown> = {}
  const auth: Record<string, string> = {}
  for (const [given, value] of Object.entries(variables)) {
    const variable = oldNames[given] ?? given
    const name = variable.replace(/^OS_/, '').toLowerCase()
    if (entryNames[variable]) entry[entryNames[variable]] = value
    else if (name.endsWith('_endpoint_override')) entry[name] = value
    else auth[name] = value
  }
  return { ...entry, auth }
}
