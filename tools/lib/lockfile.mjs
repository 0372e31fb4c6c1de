/**
 * @typedef {object} Locked
 * @property {string} [version]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {string} [license]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 *
 * @typedef {Record<string, Locked>} Packages of package-lock.json
 */

/** Returns the paths where Node looks for a package, nearest first. @param {string} from @param {string} name */
function placesOf(from, name) {
  const folders = [from]
  for (let cut = from.lastIndexOf('node_modules/'); cut > 0; cut = from.lastIndexOf('node_modules/', cut - 1)) {
    folders.push(from.slice(0, cut - 1))
  }
  return [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`]
}

/**
 * Finds optional dependencies of locked packages that are missing from the lockfile. `npm install` omits packages that
 * its registry lacks; `npm ci` then rejects the entire lockfile on every platform.
 *
 * @param {Packages} packages
 * @returns {{ name: string, version: string, of: Locked }[]}
 */
export const missingOptional = (packages) =>
  Object.entries(packages).flatMap(([place, of]) =>
    Object.entries(of.optionalDependencies ?? {})
      .filter(([name]) => !placesOf(place, name).some((candidate) => candidate in packages))
      .map(([name, version]) => ({ name, version, of })),
  )

const systems =
  /(?:^|[/-])(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-(arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64)(?:-(gnu|musl|eabi|gnueabihf|musleabihf|msvc))?$/

/**
 * Builds the lockfile entry for a package that contains the binary for one platform. The platform is derived from the
 * package name.
 *
 * @param {{ name: string, version: string, of: Locked }} missing
 * @returns {Locked}
 */
export function entryFor({ name, version, of }) {
  const [, os, cpu, kind = ''] = systems.exec(name) ?? []
  if (!os || !cpu) throw new Error(`${name} is missing in package-lock.json, and its name contains no system`)
  if (!/^\d+\.\d+\.\d+[\w.-]*$/.test(version)) throw new Error(`${name}@${version} is missing and not exact`)
  const libc = os === 'linux' ? (kind.startsWith('musl') ? 'musl' : kind.startsWith('gnu') ? 'glibc' : '') : ''
  return {
    version,
    cpu: [cpu],
    ...(of.dev ? { dev: true } : {}),
    ...(libc ? { libc: [libc] } : {}),
    ...(of.license ? { license: of.license } : {}),
    optional: true,
    os: [os],
  }
}

/** @param {Packages} packages @returns {Packages} in npm's order */
export function completed(packages) {
  const added = missingOptional(packages).map((missing) => [`node_modules/${missing.name}`, entryFor(missing)])
  const all = Object.entries({ ...packages, ...Object.fromEntries(added) })
  return Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b, 'en')))
}
