import { randomUUID } from 'node:crypto'
import {
  imageImports,
  MOST_IMPORTS,
  type CatalogueImage,
  type ImageImport,
} from '@mainstay/contract/compute/image-imports'
import { Problem, problem, fieldProblem, withField } from '@mainstay/contract/core/problems'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import type { ProjectScope } from '@mainstay/engines/ports/scope'
import { serve } from '../../http/serve'
import { inProject } from '../../session/in-project'
import { enqueue } from '../../tasks/job'
import type { Tools } from '../../tools'
import { importing, nameOfFile, type ImportArgs } from './image-import-job'

const RETRY_AFTER_S = 60

/** Checks the URL before the import is queued, so that the caller gets the error immediately. */
function checkAddress(address: string, { imageImports: { outside } }: Pick<Tools, 'imageImports'>): URL {
  const url = new URL(address)
  try {
    outside.check(url)
  } catch (error) {
    throw error instanceof Problem ? withField(error, { field: 'url' }) : error
  }
  return url
}

function argsOf(body: ImageImport, chosen: CatalogueImage | null, url: URL): ImportArgs {
  const name = body.name ?? (chosen ? `${chosen.name} ${chosen.version}` : nameOfFile(url))
  return {
    url: url.href,
    name,
    disk_format: chosen?.disk_format ?? 'detect',
    os_distro: body.os_distro ?? chosen?.os_distro ?? 'linux',
    username: chosen?.username ?? null,
    hw_firmware_type: chosen?.hw_firmware_type ?? 'bios',
    min_ram: chosen?.min_ram ?? 0,
    min_disk: chosen?.min_disk ?? 0,
    checksum: body.checksum ?? chosen?.checksum ?? null,
    checksum_url: body.checksum === undefined ? (chosen?.checksum_url ?? null) : null,
    begun_at: new Date().toISOString(),
  }
}

/**
 * Checks whether the project may start another import. Throws `too_many_uploads` if it already has `MOST_IMPORTS`
 * unfinished imports.
 */
async function checkRoom(scope: ProjectScope, { inventory }: Pick<Tools, 'inventory'>): Promise<void> {
  const { data } = await inventory.list<Task>(taskKind, scope, {
    ...{ limit: MOST_IMPORTS, name: `exact:${importing.name}`, state: 'in:starting,running,cancelling' },
  })
  if (data.filter(({ project_id }) => project_id === scope.project_id).length < MOST_IMPORTS) return
  throw problem(
    'compute.too_many_imports',
    { most: MOST_IMPORTS },
    { data: { limit: MOST_IMPORTS, retry_after: RETRY_AFTER_S } },
  )
}

export const imageImportRoutes = serve(
  imageImports,
  {
    async catalogue({ scope }, { imageImports: imports }) {
      const { data, problem } = await imports.catalogue()
      return { data, problem: scope.kind === 'system' ? problem : null }
    },
    async create({ scope: given, body }, tools) {
      const scope = inProject(given)
      if (!tools.capabilities.compute.image_import) throw problem('compute.no_imports')
      const { catalogue_id: id } = body
      const chosen = id === undefined ? null : await tools.imageImports.find(id)
      if (id !== undefined && !chosen) throw fieldProblem('catalogue_id', 'compute.not_in_catalogue')
      const url = checkAddress(chosen?.url ?? body.url ?? '', tools)
      const args = argsOf(body, chosen, url)
      await checkRoom(scope, tools)
      const subject = { kind: 'image_import', id: randomUUID(), name: args.name }
      const task_id = await tools.inventory.transaction((records) =>
        enqueue(records, importing, { args, subject, scope, cancellable: true }),
      )
      return { task_id }
    },
  },
  { about: 'image_import' },
)
