import * as z from 'zod'

/** The job that deletes a project with all that is in it, as it is begun. `count`: what was in it then. */
export const removal = {
  name: 'identity.project.remove',
  args: z.strictObject({ project_id: z.string(), count: z.number().int() }),
  steps: [{ name: 'contents' }, { name: 'project' }] as const,
}
export type RemovalArgs = z.infer<typeof removal.args>
