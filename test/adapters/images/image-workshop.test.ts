import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { ImageWorkshop, WorkshopFull } from '../../../adapters/images/image-workshop.ts';
import { aPicture } from '../../support/media.ts';

const MAX_IMAGE_BYTES = 10_000_000;

describe('the process that looks at images', () => {
  let folder: string;
  let workshop: ImageWorkshop;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rostrum-images-'));
    workshop = new ImageWorkshop();
  });
  afterEach(async () => {
    workshop.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function work(name: string, bytes: Uint8Array) {
    const input = join(folder, name);
    await writeFile(input, bytes);
    return { input, main: `${input}-main`, thumb: `${input}-thumb`, maxImageBytes: MAX_IMAGE_BYTES };
  }

  /** The ids of the image processes that are children of this one. */
  function children(): number[] {
    const ids = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
    return ids
      .filter((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('image-process'))
      .map(Number);
  }

  it('draws many images, each its own', async () => {
    const results = await Promise.all(
      [10, 20, 30, 40].map(async (width) => work(`${width}`, await aPicture('png', width, 10))),
    );
    const answers = await Promise.all(results.map((one) => workshop.prepare(one)));
    expect(answers.map((answer) => 'width' in answer && answer.width)).to.deep.equal([10, 20, 30, 40]);
    for (const [at, { main, thumb }] of results.entries()) {
      expect((await sharp(main).metadata()).width).to.equal((at + 1) * 10);
      expect((await sharp(thumb).metadata()).format).to.equal('webp');
    }
    expect(children()).to.have.length(1);
  });

  it('takes an image up again when the process is killed over it, and continues', async () => {
    const first = await work('first', await aPicture('jpeg'));
    await workshop.prepare(first);
    const [child] = children();
    const pending = workshop.prepare(await work('second', await aPicture('jpeg', 3_000, 3_000)));
    process.kill(child!, 'SIGKILL');
    expect(await pending).to.include({ kind: 'image', width: 3_000 });
    expect(children()).to.have.length(1).and.not.to.include(child);
  });

  it('keeps transparency, and the first picture of those that move', async () => {
    const frames = await Promise.all(['#f00', '#0f0'].map((background) => frame(background)));
    const moving = await sharp(frames, { join: { animated: true } })
      .webp({ delay: 100 })
      .toBuffer();
    const results = await work('moving', moving);
    expect(await workshop.prepare(results)).to.include({ kind: 'image', width: 8, height: 8 });
    const kept = await sharp(results.main).metadata();
    expect(kept.pages ?? 1).to.equal(1);
    expect(kept.hasAlpha).to.equal(true);
  });

  it('refuses what is in progress when it is closed, and everything after', async () => {
    const results = await work('late', await aPicture('jpeg'));
    const pending = workshop.prepare(results).catch((err: unknown) => err);
    workshop.close();
    expect(await pending)
      .to.be.instanceOf(WorkshopFull)
      .and.to.have.property('status', 503);
    expect(await workshop.prepare(results).catch((err: unknown) => err)).to.be.instanceOf(WorkshopFull);
  });
});

const frame = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 8, height: 8, channels: 4, background } })
    .composite([
      { input: Buffer.from([0, 0, 0, 0]), raw: { width: 1, height: 1, channels: 4 }, blend: 'source' },
    ])
    .png()
    .toBuffer();
