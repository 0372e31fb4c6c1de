import { taskKind, tasks, type Task } from '@mainstay/contract/core/tasks'
import { readFrom, serve } from '../../http/serve'

export const taskRoutes = serve(
  tasks,
  {
    ...readFrom<Task>(taskKind),
    async find({ scope, body }, { inventory }) {
      // read the revision first, so that concurrent changes are reported twice rather than lost
      const revision = await inventory.revision()
      return { data: await inventory.several<Task>(taskKind, scope, body.task_ids), pages: [], revision }
    },
    cancel: ({ scope, params }, tools) => tools.tasks.cancel(scope, params.id),
    pause: ({ scope, params }, tools) => tools.tasks.pause(scope, params.id),
    resume: ({ scope, params }, tools) => tools.tasks.resume(scope, params.id),
    answer: ({ scope, params, body }, tools) => tools.tasks.answer(scope, params.id, body),
  },
  { kind: taskKind },
)
