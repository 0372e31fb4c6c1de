import { namedId } from '@mainstay/engines/ports/named-id'

/** IDs of the room, row and rack that always exist. A node is in them until an operator moves it. */
export const defaultPlaces = {
  roomId: namedId('room-default'),
  rowId: namedId('row-default'),
  rackId: namedId('rack-default'),
}
