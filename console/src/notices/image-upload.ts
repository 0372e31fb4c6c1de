import { imageUploads } from '@mainstay/contract/compute/image-uploads'
import { images } from '@mainstay/contract/compute/images'
import { quotas } from '@mainstay/contract/compute/quotas'
import { refresh } from '../api/use-call'
import { expectTasks } from './expected-tasks'
import type { UploadOf } from './uploads'

/** Image uploads. They are started in a form and can be resumed from any page. */
export const imageUpload: UploadOf<typeof images.create> = {
  endpoint: images.create,
  calls: imageUploads,
  done(image) {
    // a conversion may continue as a task
    expectTasks(undefined, image)
    void refresh([images.list, quotas.view])
  },
}
