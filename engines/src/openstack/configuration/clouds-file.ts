import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isMap, parseDocument } from 'yaml'
import { EngineChoiceError } from '../../ports/engines'

/** Search locations for `clouds.yaml` and `secure.yaml`: the paths in environment variables, then these folders. */
export interface CloudFilePlaces {
  variables: Readonly<Record<string, string>>
  /** Working directory of the server. */
  folder: string
  /** Home directory of the user who runs the server. */
  home: string
}

type Tree = Record<string, unknown>
const endings = ['yaml', 'yml', 'json']
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

const foldersOf = ({ folder, home }: CloudFilePlaces): string[] => [
  folder,
  path.join(home, '.config', 'openstack'),
  '/etc/openstack',
]

/** Finds the first file with this name in the search order of the OpenStack client; null if there is none. */
function findFile(name: 'clouds' | 'secure', variable: string, places: CloudFilePlaces): string | null {
  const named = places.variables[variable]
  if (named !== undefined) {
    const file = path.resolve(places.folder, named)
    if (existsSync(file)) return file
    throw new EngineChoiceError([`${variable} names ${file}, which does not exist`])
  }
  const files = foldersOf(places).flatMap((folder) => endings.map((ending) => path.join(folder, `${name}.${ending}`)))
  return files.find((file) => existsSync(file)) ?? null
}

function readClouds(file: string): Tree {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new EngineChoiceError([`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`])
  }
  const document = parseDocument(text, { prettyErrors: true })
  // the parser's own message quotes the lines around the error, which may contain a password
  const faults = document.errors.map(({ code, linePos }) => {
    const at = linePos?.[0]
    return `${file}${at ? `, line ${at.line}, column ${at.col}` : ''}: invalid YAML (${code.toLowerCase().replaceAll('_', ' ')})`
  })
  if (faults.length > 0) throw new EngineChoiceError(faults)
  const clouds: unknown = isMap(document.contents) ? (document.toJS() as Tree)['clouds'] : undefined
  if (!isTree(clouds)) throw new EngineChoiceError([`${file}: the key "clouds" is missing`])
  return clouds
}

/** Merges `over` into `under` recursively. */
function merged(under: unknown, over: unknown): unknown {
  if (!isTree(under) || !isTree(over)) return over === undefined ? under : over
  const names = new Set([...Object.keys(under), ...Object.keys(over)])
  return Object.fromEntries([...names].map((name) => [name, merged(under[name], over[name])]))
}

/**
 * Reads a cloud's entry from `clouds.yaml`, merged with `secure.yaml`. Throws an `EngineChoiceError` if the entry is
 * not found.
 */
export function readCloudEntry(name: string, places: CloudFilePlaces): { file: string; entry: unknown } {
  const file = findFile('clouds', 'OS_CLIENT_CONFIG_FILE', places)
  if (file === null) {
    const folders = foldersOf(places).join(', ')
    throw new EngineChoiceError([`No clouds.yaml found for the cloud "${name}"; searched in ${folders}`])
  }
  const clouds = readClouds(file)
  if (!Object.hasOwn(clouds, name)) {
    const known = Object.keys(clouds).join(', ') || 'none'
    throw new EngineChoiceError([`${file}: there is no cloud "${name}"; the file has: ${known}`])
  }
  const secureFile = findFile('secure', 'OS_CLIENT_SECURE_FILE', places)
  const secure = secureFile === null ? undefined : readClouds(secureFile)[name]
  return { file, entry: merged(clouds[name], secure) }
}
