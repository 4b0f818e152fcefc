/** Media files, by what they belong to: they are seen as it is, and fixed once bidders rely on them. */
import { policy } from './policy.ts';
import { ANYBODY, OTHERS, TEAM } from './who.ts';

/** `contested`: of a lot with a bid. */
const MEDIA_STATES = ['draft', 'published', 'contested'] as const;
export type MediaState = (typeof MEDIA_STATES)[number];
export type MediaAction = keyof (typeof MEDIA_POLICY)['actions'];

const KEEPERS_OF_IT = ['consignor', 'staff', ...TEAM] as const;
const NOT_THEIRS = [...OTHERS, 'own', 'registered'] as const;

export const MEDIA_POLICY = policy({
  resource: 'media_file',
  about: 'A file of what is not public is not public. Privacy is the auction’s.',
  states: MEDIA_STATES,
  actions: {
    see: {
      does: 'reads',
      by: ['getMediaFile'],
      rows: [
        [['published', 'contested'], ANYBODY, 'allowed'],
        ['any', ['consignor', ...TEAM], 'allowed'],
      ],
    },
    order: {
      does: 'changes',
      by: ['reorderMedia', 'reorderMediaOnPage'],
      rows: [
        [['contested'], KEEPERS_OF_IT, 'lot_locked'],
        ['any', KEEPERS_OF_IT, 'allowed'],
        ['any', NOT_THEIRS, 'media_not_owned'],
      ],
    },
    read_edit: {
      does: 'reads',
      by: ['getPictureEdit', 'pictureDeskPage'],
      rows: [
        ['any', KEEPERS_OF_IT, 'allowed'],
        ['any', NOT_THEIRS, 'media_not_owned'],
      ],
    },
    edit: {
      does: 'changes',
      by: ['editPicture', 'editPictureOnPage'],
      rows: [
        [['contested'], KEEPERS_OF_IT, 'lot_locked'],
        ['any', KEEPERS_OF_IT, 'allowed'],
        ['any', NOT_THEIRS, 'media_not_owned'],
      ],
    },
    // One that comes to a lot with bids is kept for an amendment.
    attach: {
      does: 'changes',
      by: ['uploadMedia', 'uploadMediaOnPage', 'uploadLotPhotos', 'uploadLotPhotosOnPage', 'lotPhotosPage'],
      rows: [
        ['any', KEEPERS_OF_IT, 'allowed'],
        ['any', NOT_THEIRS, 'media_not_owned'],
      ],
    },
    delete: {
      does: 'changes',
      by: ['deleteMedia', 'deleteMediaOnPage'],
      rows: [
        [['contested'], KEEPERS_OF_IT, 'lot_locked'],
        ['any', KEEPERS_OF_IT, 'allowed'],
        ['any', NOT_THEIRS, 'media_not_owned'],
      ],
    },
  },
});
