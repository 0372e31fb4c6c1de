import * as z from 'zod'

/** The job that deletes a project with its contents. `count`: number of objects in the project at the start. */
export const removal = {
  name: 'identity.project.remove',
  args: z.strictObject({ project_id: z.string(), count: z.number().int() }),
  steps: [{ name: 'contents' }, { name: 'project' }] as const,
}
export type RemovalArgs = z.infer<typeof removal.args>
